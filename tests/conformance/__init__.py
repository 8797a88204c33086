"""The shipped suite on the reference loop."""

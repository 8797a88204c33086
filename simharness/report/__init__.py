"""Reports: values of a finished check in, text out. Nothing here runs or judges anything."""

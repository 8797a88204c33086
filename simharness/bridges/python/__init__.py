"""The Python end of the bridge: any `Agent` of another environment, served to a harness.

`python -m simharness.bridges.python package.module:factory` speaks the protocol on its standard
input and output. The agent runs on the simulated loop of `simharness.world`, whose clock follows
the harness's: quiet is then exact, and time, randomness and threads are virtual here, too.
"""

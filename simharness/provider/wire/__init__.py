"""The same scripts as provider bytes, behind a client's own HTTP library.

`World.transport("httpx2")` gives a transport for `AsyncClient(transport=...)`. What the client
posts becomes a model request, and the scripted stream of that request becomes the bytes of the
response, in the dialect of the path that was asked. Nothing here touches a network.
"""

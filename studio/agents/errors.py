"""What can be wrong with an agent, in words for people."""


class AgentUnavailable(Exception):
    """The agent cannot be asked now."""


class ConnectionRefused(Exception):
    """A connection that may not be saved like this."""

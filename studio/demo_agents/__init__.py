"""Two agents that need no key and no network: the demo project asks them."""

from studio.demo_agents.arithmetic import arithmetic
from studio.demo_agents.weather import weather

AGENTS = [weather, arithmetic]

__all__ = ["AGENTS", "arithmetic", "weather"]

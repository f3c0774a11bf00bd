"""The line's public interface: for visitors' pages, agents' pages and other people's ACDs."""

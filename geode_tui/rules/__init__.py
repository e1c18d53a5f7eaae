"""The rule score: what a rubric's own letter gives for the calls seen. Pure."""

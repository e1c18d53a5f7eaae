"""The LLM judge: prompt, answer, client. The only network in the project."""

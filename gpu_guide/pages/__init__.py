"""The pages as Markdown: parsed, and held against what they owe the reader."""

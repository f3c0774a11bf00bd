"""The pages of gates and batches."""

"""The pages and the API of jobs, which `poolsite.jobs` runs."""

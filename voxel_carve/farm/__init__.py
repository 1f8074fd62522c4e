"""Lists of jobs on several processes and machines. Dask is imported inside functions only."""

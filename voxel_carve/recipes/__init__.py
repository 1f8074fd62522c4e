"""What results were carved from, kept with their objects; and who looks at what."""

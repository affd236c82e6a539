"""Everything that the topic writes: announcements, frequent questions, wishes about mail."""

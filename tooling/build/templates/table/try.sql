SELECT value FROM countdown(3)

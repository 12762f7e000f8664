SELECT shout('ah')

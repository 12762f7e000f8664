SELECT rot13('Uryyb')

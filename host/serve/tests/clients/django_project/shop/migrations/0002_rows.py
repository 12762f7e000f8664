"""Rows that the next migrations must keep."""

from django.db import migrations


def add(apps, _editor):
    author = apps.get_model("shop", "Author")
    book = apps.get_model("shop", "Book")
    anna, otto = author.objects.bulk_create([author(name="Anna"), author(name="Otto")])
    book.objects.bulk_create(book(title=f"Tea {number}", writer=anna if number % 2 else otto, price=number) for number in range(250))


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]

"""Constraints and indexes over the rows that are there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("shop", "0003_changes")]
    operations = [
        migrations.AddConstraint("Book", models.UniqueConstraint(fields=["author", "title"], name="book_once")),
        migrations.AddConstraint("Book", models.CheckConstraint(condition=models.Q(price__gte=0), name="book_price_is_positive")),
        migrations.AddConstraint("Book", models.UniqueConstraint(fields=["code"], condition=models.Q(pages__gt=1), name="book_code")),
        migrations.AddIndex("Book", models.Index(fields=["-made", "price"], name="book_made")),
    ]

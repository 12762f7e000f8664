"""Columns, types, constraints and names change while rows are there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("shop", "0002_rows")]
    operations = [
        migrations.RenameModel("Label", "Tag"),
        migrations.RenameField("Book", "writer", "author"),
        migrations.RemoveField("Book", "old"),
        migrations.AlterField("Author", "name", models.CharField(max_length=80, unique=True)),
        migrations.AddField("Author", "born", models.DateField(null=True)),
        migrations.AlterField("Book", "price", models.DecimalField(max_digits=8, decimal_places=2, default=0)),
        migrations.AlterField("Book", "title", models.CharField(max_length=200, db_index=True, db_comment="as on its cover")),
        migrations.AddField("Book", "pages", models.PositiveIntegerField(default=1)),
        migrations.AddField("Book", "data", models.JSONField(default=dict)),
        migrations.AddField("Book", "code", models.UUIDField(null=True)),
        migrations.AddField("Book", "body", models.BinaryField(null=True)),
        migrations.AddField("Book", "length", models.DurationField(null=True)),
        migrations.AddField("Book", "sequel_of", models.OneToOneField("shop.book", models.SET_NULL, blank=True, null=True)),
    ]

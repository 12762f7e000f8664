"""Three tables and their relations."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            "Author",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40)),
            ],
        ),
        migrations.CreateModel("Label", [("word", models.SlugField(primary_key=True, serialize=False))]),
        migrations.CreateModel(
            "Book",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=100)),
                ("writer", models.ForeignKey("shop.author", models.CASCADE, related_name="books")),
                ("price", models.IntegerField(null=True)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("old", models.TextField(default="")),
                ("tags", models.ManyToManyField("shop.label")),
            ],
        ),
    ]

"""The models as the last migration leaves them."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=80, unique=True)
    born = models.DateField(null=True)

    def __str__(self):
        return self.name


class Tag(models.Model):
    word = models.SlugField(primary_key=True)


class Book(models.Model):
    title = models.CharField(max_length=200, db_index=True, db_comment="as on its cover")
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    pages = models.PositiveIntegerField(default=1)
    made = models.DateTimeField(auto_now_add=True)
    data = models.JSONField(default=dict)
    code = models.UUIDField(null=True)
    body = models.BinaryField(null=True)
    length = models.DurationField(null=True)
    tags = models.ManyToManyField(Tag)
    sequel_of = models.OneToOneField("self", models.SET_NULL, null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["author", "title"], name="book_once"),
            models.CheckConstraint(condition=models.Q(price__gte=0), name="book_price_is_positive"),
            models.UniqueConstraint(fields=["code"], condition=models.Q(pages__gt=1), name="book_code"),
        ]
        indexes = [models.Index(fields=["-made", "price"], name="book_made")]

    def __str__(self):
        return self.title

"""Migrations, models, the admin and inspectdb of Django; PGHOST, PGPORT, PGUSER and PGDATABASE say where."""

import datetime
import decimal
import io
import os
import uuid

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

import django
from django.core.management import call_command

django.setup()

from django.contrib.auth.models import Group, Permission, User
from django.db import IntegrityError, connection, transaction
from django.db.models import Avg, Count, F, Max, Q, Sum
from django.test import Client
from shop.models import Author, Book, Tag


def refuses(work):
    try:
        with transaction.atomic():
            work()
    except IntegrityError:
        return
    raise AssertionError("no constraint was violated")


def migrations():
    call_command("migrate", verbosity=0)
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    assert Book.objects.aggregate(count=Count("id"), sum=Sum("price")) == {"count": 250, "sum": decimal.Decimal(31125)}
    call_command("migrate", "shop", "0002", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), sum(price) FROM shop_book WHERE writer_id IS NOT NULL")
        assert cursor.fetchone() == (250, 31125)
    call_command("migrate", verbosity=0)


def models():
    anna = Author.objects.get(name="Anna")
    book = Book.objects.create(
        title="New",
        author=anna,
        price=decimal.Decimal("12.50"),
        data={"a": [1, None]},
        code=uuid.UUID(int=5),
        body=b"\0\xff",
        length=datetime.timedelta(days=1, seconds=2),
        sequel_of=Book.objects.first(),
    )
    book.tags.set([Tag.objects.create(word="tea"), Tag.objects.create(word="jam")])
    again = Book.objects.prefetch_related("tags").select_related("author").get(pk=book.pk)
    assert (again.price, again.data, again.code) == (decimal.Decimal("12.50"), {"a": [1, None]}, uuid.UUID(int=5))
    assert (bytes(again.body), again.length) == (b"\0\xff", datetime.timedelta(days=1, seconds=2))
    assert sorted(tag.word for tag in again.tags.all()) == ["jam", "tea"] and again.author.name == "Anna"
    assert Book.objects.filter(tags__word="tea", author__name__startswith="An").exclude(price__lt=3).count() == 1
    counts = Author.objects.annotate(books_count=Count("books"), best=Max("books__price")).order_by("name")
    assert [(one.name, one.books_count) for one in counts] == [("Anna", 126), ("Otto", 125)]
    assert Book.objects.filter(Q(price__gt=240) | Q(title="New")).update(pages=F("pages") + 1) == 10
    assert Book.objects.filter(made__year=datetime.datetime.now(datetime.timezone.utc).year).count() == 251
    assert [one.year for one in Book.objects.dates("made", "year")] == [book.made.year]
    assert Book.objects.filter(data__a__0=1).get() == book
    assert Book.objects.aggregate(pages=Avg("pages"))["pages"] > 1
    refuses(lambda: Book.objects.create(title="New", author=anna))
    refuses(lambda: Book.objects.create(title="Less", author=anna, price=-1))
    refuses(lambda: Author.objects.create(name="Anna"))
    made = Author.objects.bulk_create(Author(name=f"author {number}") for number in range(500))
    assert len({one.pk for one in made}) == 500
    Author.objects.bulk_create([Author(name="Otto"), Author(name="Olga")], ignore_conflicts=True)
    assert Author.objects.count() == 503
    assert Author.objects.get_or_create(name="Olga")[1] is False
    rows = Book.objects.in_bulk([book.pk, 1])
    assert set(rows) == {book.pk, 1}
    assert Author.objects.filter(name__startswith="author").delete()[0] == 500
    with transaction.atomic():
        locked = Book.objects.select_for_update().get(pk=book.pk)
        locked.title = "Newer"
        locked.save()
    try:
        with transaction.atomic():
            Book.objects.all().delete()
            raise RuntimeError
    except RuntimeError:
        assert Book.objects.count() == 251


def admin():
    User.objects.create_superuser("root", "", "secret")
    group = Group.objects.create(name="readers")
    group.permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client()
    assert client.login(username="root", password="secret")
    for path, expected in [
        ("", "Books"),
        ("shop/book/?q=tea&author__id__exact=1&o=-3", "Tea 24"),
        ("shop/book/1/change/", "Tea 0"),
        ("auth/user/", "root"),
    ]:
        answer = client.get(f"/admin/{path}")
        assert answer.status_code == 200 and expected in answer.content.decode(), (path, answer.status_code)
    answer = client.post("/admin/shop/author/add/", {"name": "Ines", "born": "1970-01-02"})
    assert answer.status_code == 302 and Author.objects.get(name="Ines").born == datetime.date(1970, 1, 2)
    delete = {"action": "delete_selected", "_selected_action": [Author.objects.get(name="Ines").pk], "post": "yes"}
    assert client.post("/admin/shop/author/", delete).status_code == 302
    assert not Author.objects.filter(name="Ines").exists()


def introspection():
    out = io.StringIO()
    call_command("inspectdb", "shop_author", "shop_book", "shop_book_tags", "shop_tag", "django_session", stdout=out)
    return out.getvalue()


migrations()
models()
admin()
inspected = introspection()
if os.environ.get("INSPECTED"):
    with open(os.environ["INSPECTED"], "w") as file:
        file.write(inspected)
call_command("flush", interactive=False, verbosity=0)
assert Book.objects.count() == 0 and Permission.objects.exists()
call_command("migrate", "shop", "zero", verbosity=0)
print("Django", django.get_version(), "migrates, and its admin writes")

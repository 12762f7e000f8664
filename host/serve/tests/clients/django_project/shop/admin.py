"""What the admin shows."""

from django.contrib import admin

from .models import Author, Book

admin.site.register(Author)


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    list_display = ["title", "author", "price", "made"]
    list_filter = ["author", "made"]
    search_fields = ["title", "author__name"]
    date_hierarchy = "made"

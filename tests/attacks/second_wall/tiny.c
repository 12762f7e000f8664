/* A program that says by its exit code that it was started. */
int main(void) { return 42; }

/** The JVM has signal handlers: a trap of the sandbox is an error, and null pointers, which the JVM
 * notices by a signal, still throw. */
public class Handlers {
    private static native int run(String sql);

    private int field;

    private static int read(Handlers object) {
        return object.field;
    }

    private static int thrown(int count) {
        int thrown = 0;
        for (int i = 0; i < count; i++) {
            try {
                read(i % 3 == 0 ? null : new Handlers());
            } catch (NullPointerException error) {
                thrown++;
            }
        }
        return thrown;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            System.out.println(what);
            System.exit(1);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.load(arguments[0]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 20; j++) {
                    check(run("SELECT 1") == 0, "a statement failed");
                    check(run("SELECT planted_read(4000000000, 70000)") == 1, "no trap");
                    check(thrown(3000) == 1000, "null pointers");
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        check(run("SELECT planted_call(2000000000)") == 1, "no trap");
        System.gc();
        System.out.println("traps are errors");
    }
}

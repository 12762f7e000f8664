/* A process of the same user that the payload tries to reach. Its memory begins
 * at a known address: it is linked without a random one. */
#include <unistd.h>
int main(void) {
  for (;;) pause();
}

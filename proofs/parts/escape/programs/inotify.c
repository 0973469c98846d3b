// Takes as many inotify instances as its user may have, up to a number; says how many, and holds them for a while.
//
//   inotify NUMBER SECONDS

#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 3) return 2;
  int taken = 0;
  while (taken < atoi(words[1]) && inotify_init() >= 0) taken++;
  printf("inotify %d of %s\n", taken, words[1]);
  fflush(stdout);
  sleep(atoi(words[2]));
  return 0;
}

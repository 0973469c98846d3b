#!/usr/bin/perl
# Starts $SLIPWAY_LAB_PROGRAM in a process that is told nothing of the machine's networks: a seccomp filter refuses netlink sockets
# (EAFNOSUPPORT), and everything else is as ever. Perl is on every Debian, and can ask for that before it becomes another program.
use strict;
use warnings;
use POSIX ();

my $isArm = (POSIX::uname())[4] eq 'aarch64';
my ($arch, $socket, $prctl) = $isArm ? (0xC00000B7, 198, 167) : (0xC000003E, 41, 157);
my ($LOAD, $IF_EQUAL, $RETURN) = (0x20, 0x15, 0x06);
my ($ALLOW, $REFUSE) = (0x7FFF0000, 0x00050000 | 97);
my $AF_NETLINK = 16;

# Each jumps so many further: when it is so, and when it is not. What is loaded: number (0), architecture (4), first argument (16).
my @filter = (
  [$LOAD, 0, 0, 4], [$IF_EQUAL, 0, 5, $arch],
  [$LOAD, 0, 0, 0], [$IF_EQUAL, 0, 3, $socket],
  [$LOAD, 0, 0, 16], [$IF_EQUAL, 0, 1, $AF_NETLINK],
  [$RETURN, 0, 0, $REFUSE],
  [$RETURN, 0, 0, $ALLOW],
);
my $code = join '', map { pack 'SCCL', @$_ } @filter;
my $program = pack 'Sx![J]P', scalar @filter, $code;
my ($PR_SET_NO_NEW_PRIVS, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER) = (38, 22, 2);
syscall($prctl, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no new privileges: $!\n";
syscall($prctl, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER, $program) == 0 or die "seccomp: $!\n";

my $started = delete $ENV{SLIPWAY_LAB_PROGRAM} // die "SLIPWAY_LAB_PROGRAM names the program to start\n";
exec { $started } $started, @ARGV or die "$started: $!\n";

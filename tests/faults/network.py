# SPDX-License-Identifier: MIT
"""The faults of the network: a link that goes down, a network that is cut between two hosts."""
from fault import Fault

# Soft-RoCE does not repeat packets that it cannot send for lack of a link or a route. A worker that connects while
# packets are lost may refuse to start.
NO_LINK = (r"its state is down|cannot enter state RTR: Network is unreachable|"
           r"failed on \S+ \(port (down|active|init\w*)\): local QP operation error|"
           r"to rank \d+ \(\S+\): local QP operation error|"
           r"Work Request Flushed Error .* the device did not say why|"
           r"rdmacm: (RDMA_CM_EVENT_(ADDR|ROUTE)_ERROR|resolving the address), rank \d+")
ADDRESSES = ["10.9.0.1", "10.9.0.2"]


class Network(Fault):
    """The run must end within the retry bound that the workers print, plus the launcher's time."""
    transports, guests, network = ("ibv",), True, True
    # When PMIx's servers make their first connection, slurmstepd notices that the other host is unreachable.
    says = (r"rank \d+ on \S+: .*(failed|has waited \d+ s|cannot enter state RTR|cannot reach each other|to rank \d+ \(|its state is down|rdmacm: )|srun: error: Node failure on \S+|"
            r"slurmstepd-\S+: error: .*Cannot establish direct connection to \S+")
    lines = 5
    # Faults that the workers cannot notice themselves take longer. In a PMIx collective the servers wait for each other
    # (UAT_STALL_LIMIT). A node's last message may not reach srun (SlurmdTimeout).
    longer = r"has waited \d+ s for all workers in PMIx_Fence|[Nn]ode failure"

    def ready(self, run):
        return len(run.starter.hosts) == 1 or run.all_there()


class LinkDown(Network):
    """The link of one host goes down."""
    name, host = "link down", None

    def hit(self, run):
        if not self.ready(run):
            return False
        self.host = run.starter.hosts[int(self.random * 1000) % len(run.starter.hosts)]
        return self.host.link("down")

    def clean(self):
        if self.host:
            self.host.link("up")


class LinkFlap(LinkDown):
    name, ridden, excuse = "link down for a while", True, NO_LINK

    def __init__(self, random):
        super().__init__(random)
        self.lasts = 0.1 + self.random

    def heal(self, run):
        self.clean()


class Cut(Network):
    """Messages between the guests are lost, although their links are up."""
    name, two_hosts, hosts = "network cut", True, ()

    def hit(self, run):
        if not self.ready(run):
            return False
        self.hosts = run.starter.hosts
        return all([host.cut(peer) for host, peer in zip(self.hosts, reversed(ADDRESSES))])

    def clean(self):
        for host, peer in zip(self.hosts, reversed(ADDRESSES)):
            host.join(peer)


class CutBriefly(Cut):
    """The cut is shorter than the retry bound."""
    name, ridden = "network cut for a while", True

    def __init__(self, random):
        super().__init__(random)
        self.lasts = 0.1 + 5 * self.random

    def heal(self, run):
        self.clean()

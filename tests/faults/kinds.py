# SPDX-License-Identifier: MIT
"""All kinds of faults, by weight: how many of a hundred trials or so. New ones at the end, or seeds mean something else."""
import end
import fault
import network

KINDS = [(fault.KillWorker, 12), (fault.CrashWorker, 8), (fault.ExitWorker, 8), (fault.KillInSteal, 10), (fault.StopWorker, 5),
         (fault.StopInSteal, 6), (fault.PauseWorker, 8), (fault.PauseInSteal, 8), (end.KillUatrun, 8), (end.InterruptUatrun, 6),
         (end.TerminateUatrun, 6), (end.KillServer, 5), (fault.AddressSpace, 6), (fault.ShrinkAddressSpace, 4),
         (fault.Memlock, 2), (fault.TraceFull, 4), (network.LinkDown, 8), (network.LinkFlap, 8), (network.Cut, 10),
         (network.CutBriefly, 10), (end.KillSrun, 5), (end.InterruptSrun, 5), (end.TerminateSrun, 5), (end.Cancel, 5)]

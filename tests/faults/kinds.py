# SPDX-License-Identifier: MIT
"""All kinds of faults, with their weights: the approximate number per hundred trials. Add new kinds at the end;
otherwise a seed would give other trials."""
import launcher_faults
import fault
import network

KINDS = [(fault.KillWorker, 12), (fault.CrashWorker, 8), (fault.ExitWorker, 8), (fault.KillInSteal, 10), (fault.StopWorker, 5),
         (fault.StopInSteal, 6), (fault.PauseWorker, 8), (fault.PauseInSteal, 8), (launcher_faults.KillUatrun, 8), (launcher_faults.InterruptUatrun, 6),
         (launcher_faults.TerminateUatrun, 6), (launcher_faults.KillServer, 5), (fault.AddressSpace, 6), (fault.ShrinkAddressSpace, 4),
         (fault.Memlock, 2), (fault.TraceFull, 4), (network.LinkDown, 8), (network.LinkFlap, 8), (network.Cut, 10),
         (network.CutBriefly, 10), (launcher_faults.KillSrun, 5), (launcher_faults.InterruptSrun, 5), (launcher_faults.TerminateSrun, 5), (launcher_faults.Cancel, 5)]

"""Phones, a server, two rounds, one estimate

Every phone is a program of its own that knows one user's income and budget. The server announces round 1 (how
large are incomes, roughly?), reads what phones send, announces round 2 at thresholds that suit, and estimates
the sum. Announcements and reports travel as lines of JSON through a folder; nothing else passes between them.
A phone keeps a ledger on its disk, writes it before it sends, and would refuse to answer a round twice.

This page runs 4 client processes of 100 users each. `python docs/examples/privacy_phones.py 10000 50` runs
10,000 users in 50 client processes per round.
"""

import itertools
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENT = '''
"""What a phone runs: read the announcement, answer for the users it is in charge of, send lines."""
import random, sys
from pathlib import Path

folder, number, first, last = Path(sys.argv[1]), *map(int, sys.argv[2:])

from privacy_stats import Budgets, Ledger, Round, answer

round_ = Round.from_json((folder / f"round-{number}.json").read_text())
with (folder / f"reports-{number}-{first}.jsonl").open("w") as sent:
    for user in range(first, last):
        own = random.Random(user)  # stands for the phone's own memory
        income, rho = own.lognormvariate(8.0, 0.6), own.choice([0.5, 1.0, 2.0])
        account = folder / f"ledger-{user}.json"
        ledger = Ledger.load(account) if account.exists() else Ledger(Budgets.zcdp([rho]))
        line = answer(round_, income, rho, user=user, ledger=ledger)
        ledger.save(account)
        sent.write(line + "\\n")
'''


def ask_phones(folder: Path, number: int, users: int, processes: int) -> list[Path]:
    """Start the client processes of one round, two at a time, and return their files."""
    program = folder / "phone.py"
    program.write_text(CLIENT)
    ends = [users * k // processes for k in range(processes + 1)]
    jobs = list(itertools.pairwise(ends))
    for at in range(0, processes, 2):
        running = [
            subprocess.Popen([sys.executable, str(program), str(folder), str(number), str(a), str(b)])
            for a, b in jobs[at : at + 2]
        ]
        if any(process.wait() for process in running):
            raise SystemExit("a phone failed")
    return sorted(folder.glob(f"reports-{number}-*.jsonl"))


def main(users: int, processes: int) -> None:
    import privacy_stats as ps

    protocol = ps.HistogramRadius(bound=1e5, non_negative=True)
    levels = ps.Budgets.zcdp([0.5, 1.0, 2.0]).levels
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder, states = Path(name), []
        announced = protocol.first_round(users, levels, survey="income")
        while True:
            number = announced.round_.number
            (folder / f"round-{number}.json").write_text(announced.round_.to_json())
            files = ask_phones(folder, number, users, processes)
            states.append(ps.aggregate_files(announced.round_, files))
            size = sum(file.stat().st_size for file in files) / users
            print(f"round {number}: {states[-1].n_reports} reports, {size:.0f} bytes each, {announced!r}")
            if announced.is_last:
                break
            announced = announced.protocol.next_round(states)
        total = announced.protocol.estimate(states)
    truth = sum(random.Random(user).lognormvariate(8.0, 0.6) for user in range(users))
    print(f"sum of incomes: {total.value:,.0f} with noise of {total.standard_error:,.0f}; truth {truth:,.0f}")
    if users > 1000:
        print(f"{processes} client processes per round, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]) if len(sys.argv) > 2 else (400, 4))

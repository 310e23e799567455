"""Machines and clusters, as code."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run
from turnkeeper.scripted.steps import Finish, Permission, Prompt, Say, Together, Wait

ALERTS: Final = Chapter(
    "Alerts nobody reads",
    (
        Prompt("We get 140 alerts a week and act on five. Which ones can go?"),
        run(
            "amtool alert query -o json | jq -r '.[].labels.alertname' | sort | uniq -c | sort -rn",
            """
                 61 HighCPU
                 38 PodRestarted
                 17 DiskWillFillIn4Hours
                 11 CertificateExpiresSoon
                  4 ErrorBudgetBurn
            """,
            "Count alerts by name",
            seconds=5,
        ),
        Finish(
            md(
                """
                Two of them are 71 % of the noise and led to nothing in eight weeks:

                - **HighCPU** (61): causes, not symptoms. Delete; `ErrorBudgetBurn` covers users.
                - **PodRestarted** (38): nearly all are deploys. Alert on three within ten minutes.
                - **DiskWillFillIn4Hours** (17): keep, all real.

                Shall I prepare that as a change?
                """
            )
        ),
        Wait(70),
        Prompt("Yes, one commit per alert."),
        edit(
            "monitoring/rules/pods.yaml",
            "expr: increase(kube_pod_container_status_restarts_total[10m]) > 0",
            "expr: increase(kube_pod_container_status_restarts_total[10m]) >= 3",
        ),
        run(
            "promtool check rules monitoring/rules/*.yaml",
            "Checking monitoring/rules/pods.yaml\n  SUCCESS: 14 rules found",
            "Check the rules",
            seconds=2,
        ),
        Finish("Two commits: HighCPU is gone, PodRestarted wants three restarts in ten minutes."),
    ),
)

DISKS: Final = Chapter(
    "Bigger disks for the databases",
    (
        Prompt("db-2 and db-3 are at 82 %. Grow their volumes to 500 GB, without a restart."),
        Together(
            (
                read(
                    "terraform/databases.tf",
                    """
                    resource "aws_ebs_volume" "data" {
                      for_each = toset(["db-1", "db-2", "db-3"])
                      size     = 250
                      type     = "gp3"
                    }
                    """,
                ),
                run("df -h /data | tail -1", "/dev/nvme1n1  250G  205G   45G  82% /data", "See"),
            )
        ),
        edit("terraform/databases.tf", "size     = 250", "size     = var.data_size[each.key]"),
        run(
            "terraform plan -out disks.plan",
            """
              ~ aws_ebs_volume.data["db-2"]  size: 250 -> 500
              ~ aws_ebs_volume.data["db-3"]  size: 250 -> 500

            Plan: 0 to add, 2 to change, 0 to destroy.
            """,
            "Plan the change",
            seconds=11,
        ),
        Say("Two volumes change in place, nothing is replaced. This applies exactly that plan."),
    ),
    (
        ask(
            run(
                "terraform apply disks.plan",
                """
                aws_ebs_volume.data["db-2"]: Modifications complete after 42s
                aws_ebs_volume.data["db-3"]: Modifications complete after 44s

                Apply complete! Resources: 0 added, 2 changed, 0 destroyed.
                """,
                "Grow both volumes as planned",
                seconds=25,
            ),
            run(
                "ansible db-2,db-3 -b -m command -a 'resize2fs /dev/nvme1n1'",
                """
                db-2 | CHANGED >> The filesystem on /dev/nvme1n1 is now 131072000 blocks long.
                db-3 | CHANGED >> The filesystem on /dev/nvme1n1 is now 131072000 blocks long.
                """,
                "Grow the file systems while mounted",
                seconds=12,
            ),
        ),
        Finish(
            md(
                """
                Both volumes are at 500 GB, mounted all the while:

                ```
                db-2  /data  500G  205G  295G  41%
                db-3  /data  500G  209G  291G  42%
                ```
                """
            )
        ),
    ),
)

NODES: Final = Chapter(
    "Drain the old nodes",
    (
        Prompt("The two old nodes can go. Drain them."),
        run(
            "kubectl get nodes -l pool=old",
            """
            NAME      STATUS   AGE    VERSION
            node-07   Ready    402d   v1.31.4
            node-08   Ready    402d   v1.31.4
            """,
            "List the old nodes",
            seconds=2,
        ),
        Permission(
            (
                run(
                    "kubectl drain node-07 node-08 --ignore-daemonsets --delete-emptydir-data",
                    "node/node-07 drained\nnode/node-08 drained",
                    "Drain both nodes",
                ),
            ),
            granted=False,
        ),
        Wait(20),
        Prompt("One at a time, and check that nothing is pending in between."),
        ask(
            run(
                "kubectl drain node-07 --ignore-daemonsets --delete-emptydir-data",
                "node/node-07 drained",
                "Drain node-07",
                seconds=20,
            )
        ),
        run(
            "kubectl get pods -A --field-selector=status.phase=Pending",
            "No resources found",
            "See whether anything is pending",
            seconds=2,
        ),
        ask(
            run(
                "kubectl drain node-08 --ignore-daemonsets --delete-emptydir-data",
                "node/node-08 drained",
                "Drain node-08",
                seconds=20,
            )
        ),
        Finish("Both nodes are drained, one after the other; nothing was pending in between."),
    ),
)

INFRA: Final = Character(
    "infra",
    "chore/bigger-disks",
    (ALERTS, DISKS, NODES),
    hours=0.7,
    opening=1,
)

from turnkeeper.cli.main import main

main()

import { bashScript } from '../completion/bash.ts'
import { fishScript } from '../completion/fish.ts'
import { zshScript } from '../completion/zsh.ts'
import type { Cli } from '../terminal/cli.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

export async function run([shell]: [keyof typeof SCRIPTS], _: object, cli: Cli): Promise<void> {
  cli.print(SCRIPTS[shell](cli.table).trimEnd())
}

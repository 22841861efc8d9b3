import packageJson from '../../../package.json' with { type: 'json' }
import type { OutputFlags } from '../command/command.ts'
import type { Cli } from '../terminal/cli.ts'
import { show } from '../terminal/output.ts'

export async function run(_: [], { output }: OutputFlags, cli: Cli): Promise<void> {
  const { version } = packageJson
  const { node } = process.versions
  show(cli, output, { version, node, platform: `${process.platform}-${process.arch}` }, () => version)
}

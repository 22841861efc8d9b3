import packageJson from '../../../package.json' with { type: 'json' }
import type { Cli } from '../cli.ts'
import type { OutputFlags } from '../command.ts'
import { show } from '../output.ts'

export async function run(_: [], { output }: OutputFlags, cli: Cli): Promise<void> {
  const { version } = packageJson
  const { node } = process.versions
  show(cli, output, { version, node, platform: `${process.platform}-${process.arch}` }, () => version)
}

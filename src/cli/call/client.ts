import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { LoginFlags } from '../command/command.ts'
import { requireLogin } from '../login/credentials.ts'
import type { Cli } from '../terminal/cli.ts'
import { connect } from './api.ts'

const PAGE_SIZE = 100

/** Opens a client with the login named by --context, or else with the current login. */
export async function openClient({ context, timeout }: LoginFlags, cli: Cli): Promise<Client> {
  return connect(await requireLogin(cli.config, context), cli, timeout)
}

type PageInput = z.ZodObject<{ limit: z.ZodType; cursor: z.ZodType }>
type Page<T = unknown> = { items: T[]; next_cursor: string | null }

export function isPaged<T>(op: JsonOperation): op is JsonOperation<PageInput, z.ZodType<Page<T>>> {
  return 'cursor' in op.input.shape
}

/** Returns the first `limit` items of a paged list, with the other fields of its last page. */
export async function collect<I extends PageInput, O extends z.ZodType<Page>>(
  client: Client,
  op: JsonOperation<I, O>,
  input: Record<string, unknown>,
  limit = PAGE_SIZE,
): Promise<z.output<O>> {
  const items: unknown[] = []
  let page: Page | undefined
  do {
    const cursor = page?.next_cursor
    const ask = { ...input, limit: Math.min(PAGE_SIZE, limit - items.length), ...(cursor && { cursor }) }
    page = await client.call(op, ask as z.input<I>)
    items.push(...page.items)
  } while (page.next_cursor !== null && items.length < limit)
  return { ...page, items } as z.output<O>
}

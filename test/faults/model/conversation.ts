import { z } from 'zod'

const Message = z.object({
  role: z.string(),
  content: z.string().nullish(),
  tool_calls: z.array(z.object({ id: z.string(), function: z.object({ name: z.string() }) })).optional(),
  tool_call_id: z.string().optional(),
})
const Body = z.object({ messages: z.array(Message) })

const Cluster = z.object({ template: z.string(), level: z.string(), count: z.int(), last_at: z.string() })
const Detected = z.object({
  kind: z.string(),
  template: z.string(),
  lines: z.array(z.object({ text: z.string() })).default([]),
})
const Line = z.object({ at: z.string(), level: z.string(), text: z.string(), template: z.string() })

/** The evidence that a model is given before its first answer. */
export type FirstEvidence = {
  readonly clusters: readonly z.output<typeof Cluster>[]
  readonly files: readonly string[]
  readonly checks: readonly string[]
  readonly detected: readonly z.output<typeof Detected>[]
}

/** Answers of the tools since then. */
export type ToolResults = {
  readonly lines: readonly (z.output<typeof Line> & { readonly evidence: number })[]
  readonly files: ReadonlyMap<string, { readonly text: string; readonly evidence: number }>
  /** Number of failed runs by the name of the check. */
  readonly failures: ReadonlyMap<string, number>
  readonly staged: number
  readonly count: number
}

/** Reads a request to the provider: all that a model knows is in it. */
export function readConversation(body: unknown): { first: FirstEvidence; results: ToolResults } {
  const { messages } = Body.parse(body)
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name])),
  )
  const answers = messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id = '', content }) => ({ tool: names.get(tool_call_id), text: content ?? '' }))
  return {
    first: firstEvidence(messages.find(({ role }) => role === 'user')?.content ?? ''),
    results: toResults(answers),
  }
}

function firstEvidence(text: string): FirstEvidence {
  const lines = text.split('\n')
  const dataOf = <T>(tool: string, data: z.ZodType<T>): T => {
    const line = lines.find((one) => one.startsWith(`${tool} `))!.slice(tool.length)
    return z.object({ untrusted_data: data }).parse(JSON.parse(line)).untrusted_data
  }
  const found = z.object({ untrusted_data: z.array(Detected) }).parse(JSON.parse(lines.at(-1)!))
  return {
    clusters: dataOf('log_templates', z.object({ clusters: z.array(Cluster) })).clusters,
    files: dataOf('list_files', z.object({ files: z.array(z.object({ path: z.string() })) })).files.map(
      ({ path }) => path,
    ),
    checks: dataOf('check_states', z.object({ checks: z.array(z.object({ name: z.string() })) })).checks.map(
      ({ name }) => name,
    ),
    detected: found.untrusted_data,
  }
}

const Answer = z.object({ evidence_id: z.int().default(0), staged: z.int().default(0), untrusted_data: z.unknown() })

function toResults(answers: readonly { tool: string | undefined; text: string }[]): ToolResults {
  const lines: ToolResults['lines'][number][] = []
  const files = new Map<string, { text: string; evidence: number }>()
  const failures = new Map<string, number>()
  let staged = 0
  for (const { tool, text } of answers) {
    const { evidence_id: evidence, staged: edits, untrusted_data: data } = Answer.partial().parse(JSON.parse(text))
    if (tool === 'stage_edit') staged = edits ?? 0
    else if (tool === 'search_logs') {
      lines.push(
        ...z
          .object({ lines: z.array(Line) })
          .parse(data)
          .lines.map((line) => ({ ...line, evidence: evidence! })),
      )
    } else if (tool === 'read_file') {
      const file = z.object({ path: z.string(), text: z.string() }).parse(data)
      files.set(file.path, { text: file.text, evidence: evidence! })
    } else if (tool === 'check_history') {
      const history = z.object({ name: z.string(), runs: z.array(z.object({ verdict: z.string() })) }).parse(data)
      failures.set(history.name, history.runs.filter(({ verdict }) => verdict === 'fail').length)
    }
  }
  return { lines, files, failures, staged, count: answers.length }
}

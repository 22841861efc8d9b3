import type { Range } from './ranges.ts'

/** It lets a comment in the text switch the search off, and the text is not trusted. */
const SWITCHED_OFF_BY_TEXT = '@secretlint/secretlint-rule-filter-comments'

/** Finds tokens of known services. Its packages are loaded by the first call, because most processes never need them. */
export async function findByServices(text: string): Promise<Range[]> {
  const [{ lintSource }, { rules }, { secretLintProfiler }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
    import('@secretlint/profiler'),
  ])
  // It measures each rule and keeps the times of every search for as long as the process runs.
  secretLintProfiler.setEnabled(false)
  const used = rules.filter(({ meta }) => meta.id !== SWITCHED_OFF_BY_TEXT)
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text', ext: '', contentType: 'text' },
    options: { config: { rules: used.map((rule) => ({ id: rule.meta.id, rule })) } },
  })
  return messages.flatMap(({ type, range }): Range[] => (type === 'message' ? [[range[0], range[1]]] : []))
}

import type { Prism as PrismType } from 'prism-react-renderer'
import { escapeHtml } from '#edge/pages/html.ts'

export type Highlight = (code: string, language: string) => string

type Grammar = PrismType.Grammar

const STRINGS = { pattern: /"(?:\\.|[^"\\])*"|'[^']*'/, greedy: true }
/** Languages of the guides that the package does not have. */
const OWN: Record<string, Grammar> = {
  sh: {
    comment: { pattern: /(^|\s)#.*/, lookbehind: true, greedy: true },
    string: STRINGS,
    variable: /\$\{?\w+\}?/,
    option: { pattern: /(\s)--?[a-z][\w-]*/i, lookbehind: true },
    keyword: /(?:^|(?<=[|;&(]\s*))(?:npx |sudo )?[a-z][\w.-]*(?=\s|$)/m,
  },
  sql: {
    comment: { pattern: /--.*/, greedy: true },
    string: STRINGS,
    keyword:
      /\b(?:add|alter|as|by|column|create|database|default|exists|extension|from|grant|if|in|index|insert|into|key|not|null|on|or|order|policy|primary|references|revoke|role|schema|select|set|table|to|update|using|values|vector|where|with)\b/i,
    number: /\b\d+\b/,
  },
}
const ALIASES: Record<string, string> = { ts: 'typescript', js: 'javascript' }

/** Loads the highlighter of the console. Returned markup is escaped; an unknown language is only escaped. */
export async function loadHighlight(): Promise<Highlight> {
  const { Prism } = await import('prism-react-renderer')
  return (code, language) => {
    const grammar = OWN[language] ?? Prism.languages[ALIASES[language] ?? language]
    return grammar === undefined ? escapeHtml(code) : Prism.highlight(code, grammar, language)
  }
}

import type { MarkedExtension, Token, Tokens } from 'marked'
import { escapeHtml } from '#edge/pages/html.ts'
import { createHeadingIds } from './heading-ids.ts'
import { type Highlight, loadHighlight } from './highlight.ts'
import { resolveLink } from './links.ts'
import { plainText } from './plain-text.ts'
import type { GuideSource } from './sources.ts'

export type Heading = { readonly id: string; readonly depth: number; readonly text: string }
/** A heading and the text below it, up to the next heading. */
type Section = { readonly id: string; readonly heading: string; readonly text: string }

export type RenderedGuide = {
  readonly title: string
  /** First paragraph, as plain text. */
  readonly lead: string
  readonly body: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** Returns the address of the guide at a path of the repository, or undefined if that file is no guide. */
type AddressOf = (path: string) => string | undefined

type RenderGuide = (source: Pick<GuideSource, 'path' | 'markdown'>, addressOf: AddressOf) => RenderedGuide

/** Loads the Markdown parser. It is a development dependency, because a release has the pages already rendered. */
export async function loadMarkdown(): Promise<RenderGuide> {
  const [{ Marked }, highlight] = await Promise.all([import('marked'), loadHighlight()])
  return ({ path, markdown }, addressOf) => {
    const tokens = new Marked().lexer(markdown)
    const headings = headingsOf(tokens)
    const marked = new Marked(renderer(path, [...headings], addressOf, highlight))
    return {
      title: headings[0]?.text ?? path,
      lead: plainText(tokens.find(({ type }) => type === 'paragraph') ?? tokens[0]!),
      body: marked.parser(tokens),
      headings,
      sections: sectionsOf(tokens, headings),
    }
  }
}

function headingsOf(tokens: readonly Token[]): Heading[] {
  const idOf = createHeadingIds()
  return tokens.filter(isHeading).map((token) => {
    const text = plainText(token)
    return { id: idOf(text), depth: token.depth, text }
  })
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const starts = tokens.flatMap((token, index) => (isHeading(token) ? [index] : []))
  return starts.map((start, n) => {
    const text = tokens.slice(start + 1, starts[n + 1]).map(plainText)
    return { id: headings[n]!.id, heading: headings[n]!.text, text: text.join(' ').replace(/\s+/g, ' ').trim() }
  })
}

/** Takes the headings one by one, in the order in which the parser renders them. */
function renderer(path: string, headings: Heading[], addressOf: AddressOf, highlight: Highlight): MarkedExtension {
  return {
    renderer: {
      heading({ depth, tokens }) {
        const id = escapeHtml(headings.shift()?.id ?? '')
        const text = this.parser.parseInline(tokens)
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${text}</a></h${depth}>\n`
      },
      code({ text, lang = '' }) {
        return `<div class="code"><pre><code>${highlight(text, lang)}</code></pre></div>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = resolveLink(href, path)
        if (target.kind === 'outside' && !/^(?:https?|mailto):/.test(href)) return text
        if (target.kind === 'outside') return `<a href="${escapeHtml(target.href)}" rel="noreferrer">${text}</a>`
        const address = target.path === path ? '' : addressOf(target.path)
        if (address === undefined) return filePath(text, target.path)
        return `<a href="${escapeHtml(address + (target.id && `#${target.id}`))}">${text}</a>`
      },
      table({ header, rows }) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th') => {
          const open = tag === 'th' ? '<th scope="col">' : '<td>'
          return `<tr>${cells.map(({ tokens }) => `${open}${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`
        }
        const body = rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="table"><table><thead>${row(header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`
      },
      image: ({ text }) => escapeHtml(text),
      html: ({ text }) => escapeHtml(text),
    },
  }
}

/** A file that is no guide cannot be opened from here, so its path is shown. */
function filePath(text: string, path: string): string {
  const code = `<code>${escapeHtml(path)}</code>`
  return text === escapeHtml(path) ? code : `${text} (${code})`
}

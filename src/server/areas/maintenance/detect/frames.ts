/** One place in the code that a stack trace names. */
export type Frame = { readonly path: string; readonly symbol: string | null }

const MAX_FRAMES = 20

/** `at symbol (path:1:2)` and `at path:1:2` of JavaScript, and of Rust, whose symbol stands a line above. */
const JAVASCRIPT =
  /\bat (?:async )?(?:(?<symbol>[\w.$<>[\]]{1,100}) (?:\[as \w{1,100}\] )?\()?(?<path>[^\s():]{1,300}):\d{1,7}(?::\d{1,7})?\)?/g
/** `File "path", line 1, in symbol`. */
const PYTHON = /File "(?<path>[^"\n]{1,300})", line \d{1,7}(?:, in (?<symbol>[\w<>]{1,100}))?/g
/** `at com.example.Shop.pay(Shop.java:7)`. */
const JAVA =
  /\bat (?:[\w.@-]{1,60}\/)?(?<type>[\w.$]{1,200})\.(?<method>[\w$<>]{1,100})\((?<file>[\w$]{1,100}\.(?:java|kt|scala|groovy)):\d{1,7}\)/g
/** `at Shop.Pay(Order order) in /src/Shop.cs:line 7`. */
const DOTNET = /\bat (?<symbol>[\w.`<>]{1,200})\([^)\n]{0,300}\) in (?<path>(?:[A-Z]:)?[^\n:]{1,300}):line \d{1,7}/g
/** `#0 /app/src/Shop.php(7): App\Shop->pay()`, and `in /app/src/Shop.php on line 7` or `:7`. */
const PHP =
  /#\d{1,3} (?<path>\/[^\s(]{1,300}\.php)\(\d{1,7}\): (?<symbol>[\w\\]{1,150}(?:(?:->|::)\w{1,100})?)|\bin (?<file>\/[^\s:()]{1,300}\.php)(?::| on line )\d{1,7}/g
/** `app/models/shop.rb:7:in 'pay'`, with a grave accent before Ruby 3.4. */
const RUBY = /(?<path>[\w./-]{1,300}\.rb):\d{1,7}:in [`'](?<symbol>[^'`\n]{1,100})'/g
/** `/app/shop.go:7 +0x1d` below the function. */
const GO = /^\s(?<path>\/[^\s:]{1,300}\.go):\d{1,7}/gm
/** `(shop 0.1.0) lib/shop.ex:7: Shop.pay/1`. */
const ELIXIR = /(?<path>(?:lib|web|apps)\/[\w./-]{1,300}\.exs?):\d{1,7}: (?<symbol>[\w.!?]{1,150}\/\d{1,3})/g

/** A form is only looked for in a text with its hint: without it, forms that begin with a path would be tried everywhere. */
const FORMS: readonly [hint: string, form: RegExp][] = [
  ['at ', JAVASCRIPT],
  [':line ', DOTNET],
  ['.php', PHP],
  ['.rb:', RUBY],
  ['.go:', GO],
  ['.ex', ELIXIR],
]

/** Returns the places that the stack trace in the text names, the innermost first. */
export function framesIn(text: string): Frame[] {
  // A file URL has a colon of its own, which would end the path.
  const plain = text.replaceAll('file://', '')
  const innermostLast = [...plain.matchAll(PYTHON)].map(toFrame).toReversed()
  const java = [...plain.matchAll(JAVA)].map(toJavaFrame)
  const others = FORMS.filter(([hint]) => plain.includes(hint)).flatMap(([, form]) =>
    [...plain.matchAll(form)].map(toFrame),
  )
  return [...java, ...others, ...innermostLast].slice(0, MAX_FRAMES)
}

function toFrame({ groups }: RegExpMatchArray): Frame {
  return { path: (groups!.path ?? groups!.file)!, symbol: groups!.symbol ?? null }
}

/** A trace of Java names the file alone; its folders are the package. */
function toJavaFrame({ groups }: RegExpMatchArray): Frame {
  const names = groups!.type!.split('.')
  const type = names.at(-1)!.split('$', 1)[0]!
  return { path: [...names.slice(0, -1), groups!.file!].join('/'), symbol: `${type}.${groups!.method!}` }
}

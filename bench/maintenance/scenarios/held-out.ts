import { DAY, type Line, type Twin } from './scenario.ts'
import { access, inOrder, onStderr, spread } from './traffic.ts'

/** An app in another language than those that the detectors were improved on, with a fault or without. */
export type HeldOut = { readonly name: string; readonly isBroken: boolean; readonly twin: Twin }

const HOURS_AGO = [1, 3, 4, 9, 15]

function heldOut(name: string, isBroken: boolean, path: string, event: (minutesAgo: number) => Line[]): HeldOut {
  const logs = (random: () => number) =>
    inOrder(
      spread(200, DAY, () => access(random)),
      HOURS_AGO.flatMap((hours) => event(hours * 60)),
    )
  return { name, isBroken, twin: { files: { [path]: '\n' }, logs, checks: [] } }
}

const stdout = (lines: readonly string[]) => (minutesAgo: number) => lines.map((text) => ({ minutesAgo, text }))
const stderr = (lines: readonly string[]) => (minutesAgo: number) => onStderr(minutesAgo, lines)

export const HELD_OUT: readonly HeldOut[] = [
  heldOut(
    'python',
    true,
    'shop/views.py',
    stderr([
      'ERROR:django.request:Internal Server Error: /basket',
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/django/core/handlers/exception.py", line 55, in inner',
      '    response = get_response(request)',
      '  File "/app/shop/views.py", line 31, in basket',
      "    return total(request.session['basket'])",
      "KeyError: 'basket'",
    ]),
  ),
  heldOut(
    'go',
    true,
    'internal/store/store.go',
    stderr([
      'panic: runtime error: invalid memory address or nil pointer dereference',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x49b2c1]',
      'goroutine 34 [running]:',
      'main.(*Store).Find(...)',
      '\t/app/internal/store/store.go:41',
    ]),
  ),
  heldOut(
    'java',
    true,
    'src/main/java/shop/Basket.java',
    stdout([
      '2026-11-16 01:12:44.120 ERROR 1 --- [nio-8080-exec-3] o.a.c.c.C.[.[.[/].[dispatcherServlet] : Servlet.service() threw exception',
      'java.lang.NullPointerException: Cannot invoke "shop.Item.price()" because "item" is null',
      '\tat shop.Basket.total(Basket.java:27) ~[classes!/:na]',
      '\tat shop.BasketController.show(BasketController.java:18) ~[classes!/:na]',
    ]),
  ),
  heldOut(
    'ruby',
    true,
    'app/models/order.rb',
    stdout([
      "F, [2026-11-16T01:12:44.120 #7] FATAL -- : NoMethodError (undefined method 'cents' for nil):",
      "F, [2026-11-16T01:12:44.120 #7] FATAL -- : app/models/order.rb:12:in 'Order#total'",
    ]),
  ),
  heldOut(
    'php',
    true,
    'src/Cart.php',
    stderr([
      'PHP Fatal error:  Uncaught TypeError: Cart::add(): Argument #1 must be of type Item, null given in /app/src/Cart.php:9',
      'Stack trace:',
      '#0 /app/public/index.php(12): Cart->add(NULL)',
    ]),
  ),
  heldOut(
    'rust',
    true,
    'src/basket.rs',
    stderr([
      "thread 'tokio-runtime-worker' panicked at src/basket.rs:31:14:",
      'called `Option::unwrap()` on a `None` value',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ]),
  ),
  heldOut(
    'words of errors in paths and queries',
    false,
    'main.py',
    stdout([
      'GET /docs/error-handling 200 12ms',
      'POST /api/errors/report 202 4ms',
      "DEBUG select * from jobs where state <> 'failed'",
    ]),
  ),
  heldOut(
    'fields of errors that are empty',
    false,
    'main.js',
    stdout(['{"level":"info","msg":"sync done","error":null,"errors":[]}', 'sync done: 12 ok, 0 failed, errors=none']),
  ),
  heldOut(
    'mistakes of people',
    false,
    'main.js',
    stdout(['WARN login failed for ada: wrong password', 'INFO form rejected: e-mail is missing']),
  ),
  heldOut(
    'progress on standard error',
    false,
    'job.sh',
    stderr(['fetching 12 of 40', '+ rsync -a /data /backup', 'compacted 40 segments in 12s']),
  ),
  heldOut(
    'servers that log all to standard error',
    false,
    'main.py',
    stderr([
      '[2026-11-16 01:12:44 +0000] [7] [INFO] Booting worker with pid: 12',
      'INFO:     127.0.0.1:41212 - "GET / HTTP/1.1" 200 OK',
      '2026/11/16 01:12:44 [notice] 7#7: start worker process 12',
    ]),
  ),
  heldOut(
    'retries that helped',
    false,
    'main.js',
    stdout(['WARN request to mail.example timed out, retrying', 'INFO retry 1 of request to mail.example succeeded']),
  ),
]

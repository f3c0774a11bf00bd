"""`python -m integrations.simulator.shop --console URL [--queue SLUG] [--port N]`: a tenant's site.

It has two pages of an invented shop with the console's chat, on a separate origin and under a
strict CSP, which allows only what docs/reference/line/widget.md requires.
"""

import argparse
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: #f9f1e4; color: #2a211c; font: 17px/1.5 Georgia, serif; }
header, main { max-width: 960px; margin: auto; padding: 20px; }
header { display: flex; flex-wrap: wrap; gap: 12px 32px; align-items: baseline; }
header a { color: inherit; }
header b { font-size: 28px; color: #14553a; }
h1 { font-size: 40px; line-height: 1.1; }
ul { display: flex; flex-wrap: wrap; gap: 20px; padding: 0; list-style: none; }
li { width: 220px; padding: 72px 16px 16px; background: #e0e4d6; }
/* what must not reach the chat */
button, iframe { border: 9px dotted red !important; font: 40px fantasy !important; }
poolsite-widget { display: none !important; transform: scale(2); }
"""
PAGES = {
    "/": ("Slow plants for busy rooms", ("Rubber fig", "Snake plant", "Monstera")),
    "/pots/": ("Hand-thrown pots", ("Clay, small", "Clay, large", "Blue glaze")),
}


def page(path: str, console: str, queue: str, identity: str = "") -> str:
    """Return a page of the shop. `identity` is the token of the customer who is logged in."""
    title, things = PAGES[path]
    items = "".join(f"<li>{escape(each)}</li>" for each in things)
    source = escape(f"{console}/widget/{queue}.js")
    who = f' data-identity="{escape(identity)}"' if identity else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Evergreen</title>"
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">'
        f'<script src="{source}"{who} async></script></head>'
        '<body><header><b>Evergreen</b><a href="/">Plants</a><a href="/pots/">Pots</a></header>'
        f"<main><h1>{escape(title)}</h1><ul>{items}</ul></main></body></html>"
    )


def policy(console: str) -> str:
    """Return the shop's CSP: its own style sheet, the chat's script and the chat's frame."""
    allowed = {"script-src": console, "frame-src": console, "style-src": "'self'"}
    rules = "; ".join(f"{name} {source}" for name, source in allowed.items())
    return f"default-src 'none'; img-src data:; {rules}; require-trusted-types-for 'script'"


def shop(
    console: str, queue: str, host: str = "127.0.0.1", port: int = 0, identity: str = ""
) -> ThreadingHTTPServer:
    """Return the shop's server, which does not serve yet. Port 0 means any free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            if path == "/shop.css":
                self._answer(200, "text/css", STYLE)
            elif path in PAGES:
                self._answer(200, "text/html", page(path, console, queue, identity))
            else:
                self._answer(404, "text/plain", "No such page.")

        def _answer(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", policy(console))
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            """Log nothing."""

    return ThreadingHTTPServer((host, port), Handler)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--console", required=True, help="address of the console, without a path")
    words.add_argument("--queue", default="support-sales", help="short name of the queue")
    words.add_argument("--port", type=int, default=0)
    given = words.parse_args()
    server = shop(given.console.rstrip("/"), given.queue, port=given.port)
    print(f"The shop is at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()

import os
from http.server import BaseHTTPRequestHandler, HTTPServer


class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'plain python')


HTTPServer(('', int(os.environ.get('PORT', 8000))), Hello).serve_forever()

from flask import Flask


def create_app():
    app = Flask(__name__)
    app.get('/')(lambda: 'made by a factory')
    return app

from fastapi import FastAPI

api: FastAPI = FastAPI()


@api.get('/')
def hello():
    return {'framework': 'fastapi'}

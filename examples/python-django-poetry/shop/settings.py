import os

SECRET_KEY = os.environ.get('SECRET_KEY', 'only for examples')
DEBUG = False
ALLOWED_HOSTS = ['*']
ROOT_URLCONF = 'shop.urls'
INSTALLED_APPS = ['django.contrib.staticfiles']
STATIC_URL = 'static/'
STATIC_ROOT = 'collected'
WSGI_APPLICATION = 'shop.wsgi.application'

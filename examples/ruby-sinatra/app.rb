require 'sinatra'

get('/') { 'made with sinatra' }

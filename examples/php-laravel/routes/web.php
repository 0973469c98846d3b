<?php

use Illuminate\Support\Facades\Route;

Route::get('/', fn () => 'made with laravel');

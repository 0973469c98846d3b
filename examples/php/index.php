<?php

echo 'plain php';
